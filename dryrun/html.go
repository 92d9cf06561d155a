// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	_ "embed"
	"encoding/json"
	"io"
	"strings"
)

// Chart.js draws the charts: it is small, has no dependencies, and is maintained. page/LICENSES has its
// licence.
var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
	//go:embed page/chart.umd.min.js
	pageChart string
	//go:embed page/chartjs-chart-matrix.min.js
	pageMatrix string
)

// WriteHTML renders an answer as one page that needs nothing else: the data stand in it as the JSON of
// the answer, and what it shows is made of them. The scores of a pod are there if it is explained.
func WriteHTML(w io.Writer, a *Answer) error {
	// The encoder escapes what could end the element that the data stand in.
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	for _, part := range strings.SplitAfter(pageHTML, "}}") {
		text, name, _ := strings.Cut(part, "{{.")
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		content := map[string]string{"Style}}": pageStyle, "Data}}": string(data), "Chart}}": pageChart, "Matrix}}": pageMatrix, "Script}}": pageScript}[name]
		if _, err := io.WriteString(w, content); err != nil {
			return err
		}
	}
	return nil
}
