// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

import bad from '../testdata/demo/broken.yaml';
import old from '../testdata/demo/scheduler.yaml';
import good from './samples/good.yaml';
import pod from './samples/kube-scheduler.yaml';
import policy from './samples/policy.json';

export const samples = [
  { title: 'mistakes', name: 'sched.yaml', text: bad },
  { title: 'good, v1', name: 'good.yaml', text: good },
  { title: 'old, v1beta2', name: 'old.yaml', text: old },
  { title: 'Policy', name: 'policy.json', text: policy },
  { title: 'static pod', name: 'kube-scheduler.yaml', text: pod },
];
