import { fill } from './seed.ts'

/** A gateway that can be stopped, filled with rows, and started again. */
export interface Growing {
  readonly dataDir: string
  start(): Promise<{ readonly readyMs: number }>
  stop(): Promise<void>
  /** CPU microseconds of one request, as the mean of some. */
  cpuPerRequest(): Promise<number>
}

interface Size {
  readonly table: 'channels' | 'tokens' | 'logs'
  readonly counts: readonly number[]
}

/** Measured in this order; each size starts from the database of the one before. */
const sizes: readonly Size[] = [
  { table: 'channels', counts: [1, 10, 100, 1_000] },
  { table: 'tokens', counts: [1, 1_000, 100_000] },
  { table: 'logs', counts: [1_000_000] },
]

/** Prints the cost of a request and of a start by the size of the database. All channels have one model and priority; one token is used. */
export async function printCurves(gateway: Growing): Promise<void> {
  console.log(`\n${'the gateway with'.padEnd(44)}${'CPU a request'.padStart(16)}${'ready after'.padStart(14)}   target`)
  for (const { table, counts } of sizes) {
    for (const count of counts) {
      fill(gateway.dataDir, table, count)
      const { readyMs } = await gateway.start()
      const cpu = await gateway.cpuPerRequest()
      await gateway.stop()
      const target = table === 'logs' ? 'ready <= 500 ms' : 'flat'
      const name = `${count.toLocaleString('en')} ${table}`
      console.log(`${name.padEnd(44)}${`${cpu.toFixed(0)} us`.padStart(16)}${`${readyMs.toFixed(0)} ms`.padStart(14)}   ${target}`)
    }
  }
}
