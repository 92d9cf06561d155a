// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1

import "github.com/schedconf/schedconf/conversion"

// APIVersion is what this apiVersion has a place for, for callers that work on its wire types.
func APIVersion() *conversion.APIVersion { return apiVersion }
