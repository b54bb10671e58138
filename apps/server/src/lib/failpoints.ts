/** Labelled steps of the ledger, its store and our own files at which a test may kill the process or make the disk fail. */
export const failpoints = [
  'hold-asked',
  'hold-taken',
  'hold-made',
  'settle-asked',
  'settle-committed',
  'post-asked',
  'batch-written',
  'batch-committed',
  'set-aside-asked',
  'store-call',
  'wal-sync',
  'reserve-made',
  'notice-claimed',
  'copying',
  'copied',
  'copy-kept',
  'migrated',
  'spool-written',
  'task-sending',
  'task-accepted',
  'task-running',
  'closing',
  'restore-copied',
  'restore-kept',
  'compacted',
  'next-key-written',
  'resealing',
  'resealed',
] as const

export type Failpoint = (typeof failpoints)[number]

/** What happens at a failpoint: the process ends as by `kill -9`, or the call fails as on a full or broken disk. */
const acts = {
  kill: () => process.kill(process.pid, 'SIGKILL'),
  full: () => fail('SQLITE_FULL', 'database or disk is full'),
  io: () => fail('SQLITE_IOERR_WRITE', 'disk I/O error'),
  // Works only at steps that are awaited.
  hang: () => new Promise<void>(() => {}),
  // The event loop does not turn any more, or not for a second and a half.
  block: () => spin(),
  stall: () => Bun.sleepSync(1_500),
} as const satisfies Record<string, () => unknown>

/** One rule of a test: what happens from the `first` to the `last` time that a step is reached. */
export interface FailRule {
  readonly point: Failpoint
  readonly first: number
  readonly last: number
  readonly act: keyof typeof acts
}

/** Called at each labelled step. @throws when a test makes the step fail */
export type Reached = (point: Failpoint) => void

/** No step fails on purpose, as on every server that is not under test. */
export const noFailpoints: Reached = () => {}

export function failByCommand(rules: readonly FailRule[]): Reached {
  if (rules.length === 0) return noFailpoints
  const counts = new Map<Failpoint, number>()
  return (point) => {
    const count = (counts.get(point) ?? 0) + 1
    counts.set(point, count)
    const rule = rules.find(({ point: name, first, last }) => name === point && count >= first && count <= last)
    // The promise of `hang` is returned, so that the caller waits for it.
    return rule === undefined ? undefined : acts[rule.act]()
  }
}

/** Parses a rule: `step:nth`, `step:nth:act` or `step:first-last:act`. `null` = not a rule. */
export function parseFailRule(text: string): FailRule | null {
  const [, name, first, last, act = 'kill'] = /^([a-z-]+):(\d{1,6})(?:-(\d{1,6}))?(?::(\w+))?$/.exec(text) ?? []
  const point = failpoints.find((known) => known === name)
  if (point === undefined || !isAct(act)) return null
  return { point, first: Number(first), last: Number(last ?? first), act }
}

function isAct(name: string): name is keyof typeof acts {
  return Object.hasOwn(acts, name)
}

function spin(): never {
  for (;;);
}

function fail(code: string, message: string): never {
  throw Object.assign(new Error(message), { code })
}
