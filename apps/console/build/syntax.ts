// What the plugins of the build share: nodes of a parsed module, and edits of its text.

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value

export const nodesOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

export const partsOf = (node: Node): readonly Node[] => Object.values(node).flatMap((member) => [member].flat().filter(isNode))

/** The name of a member of an object that is written out; empty for those that are spread or computed. */
export function memberName({ key, computed }: Node): string {
  return isNode(key) && computed !== true ? String(key['name'] ?? key['value']) : ''
}

/** Takes members out of an object that is written out, with the comma behind them. */
export function withoutMembers(object: Node, isKept: (name: string) => boolean): readonly Edit[] {
  const members = nodesOf(object['properties'])
  return members.flatMap((member, index) => {
    const name = memberName(member)
    if (name === '' || isKept(name)) return []
    return [{ start: member.start, end: members[index + 1]?.start ?? object.end - 1, text: '' }]
  })
}

export function edited(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, text: other }) => text.slice(0, start) + other + text.slice(end), code)
}
