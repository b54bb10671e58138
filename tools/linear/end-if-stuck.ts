import { workerData } from 'node:worker_threads'

// A thread beside the one that measures: it ends the process when one case has kept it busy for too long. It counts processor time, because on a
// busy machine a case may wait for long.

const checkMs = 250
// Holds: measure-worker.ts starts this file with these two members.
const { counter, cpuMsMax } = workerData as { readonly counter: Int32Array; readonly cpuMsMax: number }

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let current = { number: 0, sinceCpuMs: cpuMs() }

setInterval(() => {
  const number = Atomics.load(counter, 0)
  if (number !== current.number) current = { number, sinceCpuMs: cpuMs() }
  else if (cpuMs() - current.sinceCpuMs > cpuMsMax) process.kill(process.pid, 'SIGKILL')
}, checkMs)
