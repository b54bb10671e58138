interface ModelDiff {
  /** Names that the vendor lists and the channel lacks. */
  readonly fresh: readonly string[]
  /** Names that the channel has and the vendor does not list. */
  readonly missing: readonly string[]
  /** Number of names that both have. */
  readonly kept: number
}

export function modelDiff(models: readonly string[], listed: readonly string[]): ModelDiff {
  const [own, theirs] = [new Set(models), new Set(listed)]
  const missing = models.filter((name) => !theirs.has(name))
  return { fresh: listed.filter((name) => !own.has(name)), missing, kept: models.length - missing.length }
}
