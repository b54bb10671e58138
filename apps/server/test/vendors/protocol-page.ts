import { vendorByType } from '@sluice/vendors/registry/list'
import type { Feature } from '../../../../packages/vendors/src/core/feature.ts'
import { messagesBesideChats } from './beside-chats.ts'
import { doubles } from './doubles/all.ts'
import type { Cell, Columns } from './protocol-cells.ts'
import type { VendorDouble } from './vendor-double.ts'

/** Older interfaces, and those of programs and translators, have a table of their own. */
const narrow: ReadonlySet<number> = new Set([11, 15, 18, 21, 23, 34, 38])

/** A column for every wire. */
export const wires: readonly VendorDouble[] = doubles.filter(({ hasOtherCredential }) => hasOtherCredential !== true)

const groups: ReadonlyArray<readonly VendorDouble[]> = [
  wires.filter(({ type }) => !narrow.has(type)),
  wires.filter(({ type }) => narrow.has(type)),
]

function headOf({ name, type, model }: VendorDouble): string {
  const vendor = name.startsWith('a ') ? vendorByType(type)?.name : name
  return `${vendor ?? name}, \`${model}\``
}

function textOf(cell: Cell): string {
  const [state, reason] = cell.split(': ')
  return reason === undefined ? cell : `${state}: \`${reason}\``
}

function table(columns: ReadonlyMap<string, ReadonlyMap<string, Cell>>, doubles: readonly VendorDouble[]): string {
  const [first] = columns.values()
  const features = [...(first?.keys() ?? [])]
  const cellOf = (name: string, feature: string): string => {
    const cell = columns.get(name)?.get(feature)
    if (cell === undefined) throw new Error(`${feature} at ${name} was not tried`)
    return textOf(cell)
  }
  const rows = [
    ['Feature', ...doubles.map(headOf)],
    ['---', ...doubles.map(() => '---')],
    ...features.map((feature) => [feature, ...doubles.map(({ name }) => cellOf(name, feature))]),
  ]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

interface Reason {
  readonly why: string
  /** The feature whose page of the vendor shows it. */
  readonly documentedBy: Feature
}

/** Why a feature is not requested from a vendor: what the vendor lacks would change the response. */
const reasons: Readonly<Record<string, Reason>> = {
  tools: { why: 'it does not support function calls', documentedBy: 'tools' },
  'parallel tools': { why: 'it does not support function calls', documentedBy: 'tools' },
  'tool choice': { why: 'it does not support tool choice', documentedBy: 'tools' },
  'images in tool results': { why: 'it does not support function calls or image input', documentedBy: 'images in' },
  'structured output': { why: 'it does not support structured output', documentedBy: 'structured output' },
  'images in': { why: 'it does not support image input', documentedBy: 'images in' },
  'PDF in': { why: 'its chats do not accept files', documentedBy: 'files in' },
  'audio in': { why: 'its chats do not accept audio', documentedBy: 'audio in' },
  'reasoning sent back': { why: 'it does not support function calls, which the reasoning belongs to', documentedBy: 'tools' },
  'cache breakpoints': {
    why: 'Google clients name a cache (`cachedContent`) that is stored in an account at Google',
    documentedBy: 'cache usage',
  },
  'stop sequences': { why: 'it does not support stop sequences', documentedBy: 'chat' },
  'web search': { why: 'the interface has no web search', documentedBy: 'chat' },
}

/** The vendor's page that shows what a feature is missing. @throws Error if its record names none */
function pageOf({ type, name }: VendorDouble, feature: Feature): string {
  const { docs } = vendorByType(type) ?? {}
  const page = docs?.pages?.[feature] ?? docs?.page
  if (page === undefined) throw new Error(`${name} has no page for ${feature}`)
  return page
}

/** Every refusal of the tables, with its reason and the page that shows it. */
function refusals(all: Columns): string {
  const rows = wires.flatMap((double) => {
    const columns = [...all.values()].map((column) => column.get(double.name))
    return Object.entries(reasons).flatMap(([feature, { why, documentedBy }]) => {
      const isRefused = columns.some((cells) => cells?.get(feature)?.startsWith('refused') === true)
      return isRefused ? [`| ${headOf(double)} | ${feature} | ${why} | <${pageOf(double, documentedBy)}> |`] : []
    })
  })
  return ['| Vendor | Rejected | Reason | Source |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** Refusals of the tables that have no reason here. */
export function withoutReason(all: Columns): readonly string[] {
  return [...all.values()].flatMap((columns) =>
    [...columns].flatMap(([name, cells]) =>
      [...cells].flatMap(([feature, cell]) =>
        cell.startsWith('refused') && reasons[feature] === undefined ? [`${name}: ${feature}`] : [],
      ),
    ),
  )
}

const besideChats = `### Anthropic clients, at vendors that accept messages besides chats

What is not forwarded unchanged to one of [these vendors](#anthropic-requests) is translated to a chat, as in the column of the vendor's chats.`

const markers = /(<!-- features: [^\n]*-->\n)[\s\S]*?(<!-- end of features -->)/

/** The page with the tables of what becomes of each feature. */
export function withFeatures(page: string, all: Columns): string {
  if (!markers.test(page)) throw new Error('the page has no place for the tables')
  const sections = [...all].map(([client, columns]) => {
    const tables = groups.map((doubles) => table(columns, doubles))
    return `### ${client} clients\n\n${tables.join('\n\n')}`
  })
  return page.replace(
    markers,
    (_all, begin: string, end: string) =>
      `${begin}\n${sections.join('\n\n')}\n\n${besideChats}\n\n${messagesBesideChats()}\n\n### Why a feature is rejected\n\n${refusals(all)}\n\n${end}`,
  )
}
