/** Variables by name, as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** Reads one variable, without spaces around it. A blank variable counts as not set. */
export type ReadText = (name: string, otherwise?: string) => string

/** What is wrong with variables: problems stop the start, and warnings are logged. */
export interface Findings {
  readonly problems: string[]
  readonly warnings: string[]
}
