import { callOf, type Endpoint } from './endpoint.ts'
import { contract } from './index.ts'

/** The schema of a call's input. The browser loads it by itself, when a form is checked: its rows of calls have no schemas. */
export function inputSchemaOf(endpoint: Pick<Endpoint, 'method' | 'path'>): Endpoint['input'] {
  const call = callOf(endpoint)
  const rows = Object.values(contract).flatMap((noun): readonly Endpoint[] => Object.values(noun))
  const row = rows.find((candidate) => callOf(candidate) === call)
  if (row === undefined) throw new Error(`The contract has no call ${call}.`)
  return row.input
}
