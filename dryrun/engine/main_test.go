// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	quiet()
	os.Exit(m.Run())
}
