/** Labelled steps of the ledger, its store and files of our own at which a test may let the process die or the disk fail. */
export const failpoints = [
  'hold-asked',
  'hold-taken',
  'hold-committed',
  'settle-asked',
  'settle-committed',
  'post-asked',
  'batch-written',
  'batch-committed',
  'store-call',
  'wal-sync',
  'reserve-made',
  'copying',
  'copied',
  'copy-kept',
  'migrated',
  'spool-written',
  'closing',
  'restore-copied',
  'restore-kept',
  'next-key-written',
  'resealing',
  'resealed',
] as const

export type Failpoint = (typeof failpoints)[number]

/** What happens there: the process is gone as by `kill -9`, or the call fails as it does on a disk that is full or broken. */
const acts = {
  kill: () => process.kill(process.pid, 'SIGKILL'),
  full: () => fail('SQLITE_FULL', 'database or disk is full'),
  io: () => fail('SQLITE_IOERR_WRITE', 'disk I/O error'),
  // Only where the step is waited for.
  hang: () => new Promise<void>(() => {}),
} as const satisfies Record<string, () => unknown>

/** One order of a test: what happens from the `first` to the `last` time that a step is reached. */
export interface FailRule {
  readonly point: Failpoint
  readonly first: number
  readonly last: number
  readonly act: keyof typeof acts
}

/** Called at each labelled step. @throws where a test wants the step to fail */
export type Reached = (point: Failpoint) => void

/** Nothing fails by order, as on every server that is not under test. */
export const goOn: Reached = () => {}

export function failByOrder(rules: readonly FailRule[]): Reached {
  if (rules.length === 0) return goOn
  const counts = new Map<Failpoint, number>()
  return (point) => {
    const count = (counts.get(point) ?? 0) + 1
    counts.set(point, count)
    const rule = rules.find(({ point: name, first, last }) => name === point && count >= first && count <= last)
    // What is waited for hangs.
    return rule === undefined ? undefined : acts[rule.act]()
  }
}

/** One rule as `step:nth`, `step:nth:act` or `step:first-last:act`. `null`: it is none. */
export function parseFailRule(text: string): FailRule | null {
  const [, name, first, last, act = 'kill'] = /^([a-z-]+):(\d{1,6})(?:-(\d{1,6}))?(?::(\w+))?$/.exec(text) ?? []
  const point = failpoints.find((known) => known === name)
  if (point === undefined || !isAct(act)) return null
  return { point, first: Number(first), last: Number(last ?? first), act }
}

function isAct(name: string): name is keyof typeof acts {
  return Object.hasOwn(acts, name)
}

function fail(code: string, message: string): never {
  throw Object.assign(new Error(message), { code })
}
