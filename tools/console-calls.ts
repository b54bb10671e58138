// Reads the table of calls at the end of the check list of the console, `apps/console/CHECKS.md`.

/** One call that only this project has. */
export interface ListedCall {
  /** Method and path, as `callOf` writes them. */
  readonly call: string
  readonly access: string
  readonly limitClass: string
  /** Ids of the lines whose feature calls it. */
  readonly lines: readonly string[]
}

const row = /^\| `(?<call>[A-Z]+ \/[^`]+)` \| (?<access>\w+) \| (?<limitClass>\w+) \| (?<lines>[A-Z\d, a-z]+) \|$/

export function readCalls(markdown: string): readonly ListedCall[] {
  return markdown.split('\n').flatMap((line) => {
    const { call = '', access = '', limitClass = '', lines = '' } = row.exec(line)?.groups ?? {}
    return call === '' ? [] : [{ call, access, limitClass, lines: lines.split(', ') }]
  })
}
