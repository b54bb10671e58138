import { type Plugin, parseSync } from 'vite'
import { keyFacts, routeFacts, vendorFacts } from '../src/lib/vendor-facts.ts'
import { type Edit, edited, isNode, memberName, type Node, nodesOf, partsOf, withoutMembers } from './syntax.ts'

// The console shows and fills in channels, so it needs a few facts of a vendor. How the vendor is called, its models and its errors are most
// of a record, and only the server needs them.

const kept: ReadonlySet<string> = new Set(vendorFacts)
/** Groups of members, and what stays of them. */
const keptOfGroups: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
  ['key', new Set(keyFacts)],
  ['routes', new Set(routeFacts)],
])
/** Members of which the console knows only whether a record has them: it cannot ask a vendor itself. */
const onlyPresent: ReadonlySet<string> = new Set(['askBalance'])
const vendorsFolder = /[\\/]packages[\\/]vendors[\\/]src[\\/]/

export function vendorFactsOnly(): Plugin {
  return {
    name: 'vendor-facts',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!vendorsFolder.test(id)) return null
      // Without a map: the build writes none.
      return { code: withFactsOnly(code), map: null }
    },
  }
}

/** Takes the other members out of the records of a module; the build then drops what nothing uses anymore. */
export function withFactsOnly(code: string): string {
  return edited(code, recordsIn(parseSync('record.ts', code).program).flatMap(otherMembers))
}

/** The objects that are records of vendors, or the parts that several records share: they have a colour, or a group and keys. */
function recordsIn(node: object): readonly Node[] {
  // Holds: the program is a node, whose type of the parser names each kind of node apart.
  const own = node as Node
  return isRecord(own) ? [own] : partsOf(own).flatMap(recordsIn)
}

function isRecord({ type, properties }: Node): boolean {
  if (type !== 'ObjectExpression') return false
  const names = nodesOf(properties).map(memberName)
  return names.includes('color') || (names.includes('group') && names.includes('key'))
}

const otherMembers = (record: Node): readonly Edit[] => [
  ...withoutMembers(record, (name) => kept.has(name)),
  ...nodesOf(record['properties']).flatMap((member) => {
    const { value } = member
    if (!isNode(value)) return []
    const keptOfGroup = keptOfGroups.get(memberName(member))
    if (keptOfGroup !== undefined) return withoutMembers(value, (name) => keptOfGroup.has(name))
    return onlyPresent.has(memberName(member)) ? [{ start: value.start, end: value.end, text: 'true' }] : []
  }),
]
