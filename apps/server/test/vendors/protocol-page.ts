import { vendorByType } from '@sluice/vendors/list'
import { doubles } from './doubles/all.ts'
import type { Cell, Columns } from './protocol-cells.ts'
import type { VendorDouble } from './vendor-double.ts'

/** Older interfaces, and those of programs and translators, have a table of their own. */
const narrow: ReadonlySet<number> = new Set([11, 15, 18, 21, 23, 34, 38])

const groups: ReadonlyArray<readonly VendorDouble[]> = [
  doubles.filter(({ type }) => !narrow.has(type)),
  doubles.filter(({ type }) => narrow.has(type)),
]

function headOf({ name, type, model }: VendorDouble): string {
  const vendor = name.startsWith('a ') ? vendorByType(type)?.name : name
  return `${vendor ?? name}, \`${model}\``
}

function textOf(cell: Cell): string {
  const [state, reason] = cell.split(': ')
  return reason === undefined ? cell : `${state}: \`${reason}\``
}

function table(columns: ReadonlyMap<string, ReadonlyMap<string, Cell>>, shown: readonly VendorDouble[]): string {
  const [first] = columns.values()
  const features = [...(first?.keys() ?? [])]
  const cellOf = (name: string, feature: string): string => {
    const cell = columns.get(name)?.get(feature)
    if (cell === undefined) throw new Error(`${feature} at ${name} was not tried`)
    return textOf(cell)
  }
  const rows = [
    ['Feature', ...shown.map(headOf)],
    ['---', ...shown.map(() => '---')],
    ...features.map((feature) => [feature, ...shown.map(({ name }) => cellOf(name, feature))]),
  ]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const markers = /(<!-- features: [^\n]*-->\n)[\s\S]*?(<!-- end of features -->)/

/** The page with the tables of what becomes of each feature. */
export function withFeatures(page: string, all: Columns): string {
  if (!markers.test(page)) throw new Error('the page has no place for the tables')
  const sections = [...all].map(([client, columns]) => {
    const tables = groups.map((shown) => table(columns, shown))
    return `### Clients of ${client}\n\n${tables.join('\n\n')}`
  })
  return page.replace(markers, (_all, begin: string, end: string) => `${begin}\n${sections.join('\n\n')}\n\n${end}`)
}
