// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package policyv1

import "encoding/json"

// UnmarshalJSON reads an extender without regard to the case of keys and passes over those it does
// not know, since that is part of the wire format: both enableHttps and enableHTTPS were in use
// (1.19 kube-scheduler/config/v1/types.go).
func (e *Extender) UnmarshalJSON(data []byte) error {
	type plain Extender
	return json.Unmarshal(data, (*plain)(e))
}
