// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/schedconf/schedconf/diag"
)

// RewriteBlock returns the text of a document with another text in the string at path, as with a
// configuration in a ConfigMap. A block scalar keeps its header and indentation, and lines that stay
// the same their bytes. A folded scalar, and a quoted string that stands on several lines or cannot
// hold the text, becomes a literal block, which is reported.
func RewriteBlock(outer *Document, path diag.Path, newText []byte, read Reader) (text []byte, lost []Loss, err error) {
	return RewriteAt(outer, path, string(newText), read)
}

// RewriteNested returns the text of the outer document of a nested one, which is at path in it, with
// another text in place of the nested one.
func RewriteNested(nested *Document, path diag.Path, newText []byte, read Reader) (text []byte, lost []Loss, err error) {
	o := nested.origin
	switch {
	case o == nil || o.outer.origin != nil || !o.outer.Has(path):
		return nil, nil, errors.New("the text cannot be put into the file that it lies in")
	case o.object != nil:
		value, _, err := read(newText)
		if err != nil {
			return nil, nil, err
		}
		return RewriteAt(o.outer, path, value, read)
	}
	whole, ok := o.outer.Scalar(path)
	end := o.start + len(nested.text)
	if !ok || end > len(whole) || whole[o.start:end] != string(nested.text) {
		return nil, nil, errors.New("the text lies in the file in another form, such as base64")
	}
	return RewriteBlock(o.outer, path, []byte(whole[:o.start]+string(newText)+whole[end:]), read)
}

// RewriteAt returns the text of a document with another value at path, as with a configuration that is
// an object of a larger one. A string can be replaced by a string alone, and an object by an object.
func RewriteAt(outer *Document, path diag.Path, part any, read Reader) (text []byte, lost []Loss, err error) {
	value, _, err := read(outer.text)
	if err != nil {
		return nil, nil, err
	}
	if value, err = normal(value); err != nil {
		return nil, nil, err
	}
	if part, err = normal(part); err != nil {
		return nil, nil, err
	}
	if value, err = withPart(value, path, part); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return outer.Rewrite(value, read)
}

// withPart puts a part in the place of what is at path.
func withPart(value any, path diag.Path, part any) (any, error) {
	if len(path) == 0 {
		if reflect.TypeOf(value) != reflect.TypeOf(part) {
			return nil, errors.New("another kind of value is there")
		}
		return part, nil
	}
	var err error
	switch v := value.(type) {
	case map[string]any:
		if child, ok := v[path[0]]; ok {
			v[path[0]], err = withPart(child, path[1:], part)
			return v, err
		}
	case []any:
		if i, atoi := strconv.Atoi(path[0]); atoi == nil && 0 <= i && i < len(v) {
			v[i], err = withPart(v[i], path[1:], part)
			return v, err
		}
	}
	return nil, errors.New("nothing is there")
}
