// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command measure runs commands in turn, several rounds, and prints for each the median of the elapsed
// and of the CPU time (user and system), and the largest resident memory. Running them in turn lets a noisy machine disturb all
// alike, so that the ratios of one run can be compared.
//
//	measure [-runs N] NAME COMMAND [NAME COMMAND]…
package main

import (
	"flag"
	"fmt"
	"log"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("runs", 7, "rounds")
	flag.Parse()
	args := flag.Args()
	if len(args) == 0 || len(args)%2 != 0 {
		log.Fatal("usage: measure [-runs N] NAME COMMAND [NAME COMMAND]…")
	}
	cpu, elapsed := make([][]time.Duration, len(args)/2), make([][]time.Duration, len(args)/2)
	memory := make([]int64, len(args)/2)
	for range *runs {
		for i := range cpu {
			command := strings.Fields(args[2*i+1])
			run := exec.Command(command[0], command[1:]...)
			start := time.Now()
			if err := run.Run(); err != nil {
				log.Fatalf("%s: %v", args[2*i], err)
			}
			elapsed[i] = append(elapsed[i], time.Since(start))
			state := run.ProcessState
			cpu[i] = append(cpu[i], state.UserTime()+state.SystemTime())
			if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
				memory[i] = max(memory[i], usage.Maxrss)
			}
		}
	}
	for i := range cpu {
		slices.Sort(cpu[i])
		slices.Sort(elapsed[i])
		middle := *runs / 2
		fmt.Printf("%-28s %8.1f ms CPU (median of %d, %.1f to %.1f) %8.1f ms elapsed (%.1f to %.1f) %6.1f MB\n", args[2*i],
			ms(cpu[i][middle]), *runs, ms(cpu[i][0]), ms(cpu[i][len(cpu[i])-1]),
			ms(elapsed[i][middle]), ms(elapsed[i][0]), ms(elapsed[i][len(elapsed[i])-1]), float64(memory[i])/1024)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
