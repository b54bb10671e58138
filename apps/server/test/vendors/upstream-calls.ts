// Calls of functions and their results in requests of any vendor's form.

export interface Call {
  readonly id: string | undefined
  readonly name: string
}

type Node = Readonly<Record<string, unknown>>

function* nodesIn(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Node
  for (const inner of Object.values(value)) yield* nodesIn(inner)
}

const textIn = (node: unknown, name: string): string | undefined => {
  const value = typeof node === 'object' && node !== null ? (node as Node)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

type Finder<T> = (node: Node) => readonly T[]

const listed =
  (list: string, id: string, called: readonly [holder: string, name: string]): Finder<Call> =>
  (node) => {
    const calls = node[list]
    if (!Array.isArray(calls)) return []
    return calls.map((call: Node) => ({ id: textIn(call, id), name: textIn(call[called[0]], called[1]) ?? '' }))
  }

const inMember =
  (member: string, id: string): Finder<Call> =>
  (node) => {
    const call = node[member]
    return typeof call === 'object' && call !== null ? [{ id: textIn(call, id), name: textIn(call, 'name') ?? '' }] : []
  }

const ofType =
  (type: string, id: string): Finder<Call> =>
  (node) =>
    node['type'] === type ? [{ id: textIn(node, id), name: textIn(node, 'name') ?? '' }] : []

/** One row for each form. */
const callForms: ReadonlyArray<Finder<Call>> = [
  listed('tool_calls', 'id', ['function', 'name']),
  listed('ToolCalls', 'Id', ['Function', 'Name']),
  inMember('toolUse', 'toolUseId'),
  inMember('functionCall', 'id'),
  inMember('function_call', 'id'),
  ofType('tool_use', 'id'),
  ofType('function_call', 'call_id'),
]

/** A member that only results have, and where it has the id. */
const resultForms: ReadonlyArray<(node: Node) => ReadonlyArray<string | undefined> | null> = [
  (node) => (node['role'] === 'tool' ? [textIn(node, 'tool_call_id')] : null),
  (node) => (node['Role'] === 'tool' ? [textIn(node, 'ToolCallId')] : null),
  (node) => (node['toolResult'] === undefined ? null : [textIn(node['toolResult'], 'toolUseId')]),
  (node) => (node['functionResponse'] === undefined ? null : [textIn(node['functionResponse'], 'id')]),
  (node) => (node['type'] === 'tool_result' ? [textIn(node, 'tool_use_id')] : null),
  (node) => (node['type'] === 'function_call_output' ? [textIn(node, 'call_id')] : null),
]

/** All calls, in their order. */
export function callsIn(body: unknown): readonly Call[] {
  return [...nodesIn(body)].flatMap((node) => callForms.flatMap((form) => form(node)))
}

/** The ids of all results, in their order. */
export function resultsIn(body: unknown): ReadonlyArray<string | undefined> {
  return [...nodesIn(body)].flatMap((node) => resultForms.flatMap((form) => form(node) ?? []))
}
