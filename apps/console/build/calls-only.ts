import { type Plugin, parseSync } from 'vite'
import { type Edit, edited, isNode, type Node, nodesOf, partsOf, withoutMembers } from './syntax.ts'

// The console needs methods and paths of calls, but not their schemas, which are larger than all paths together and need a library. Forms
// load the schemas when the first value is checked, from `@sluice/contract/schemas`; that graph of modules stays whole.

/** What the browser uses of a call. */
const kept = new Set(['method', 'path', 'inQuery'])

const contractFolder = /[\\/]packages[\\/]contract[\\/]src[\\/]/
const schemas = '@sluice/contract/schemas'
/** Marks the modules of the whole graph. */
const whole = '?whole'

export function callsOnly(): Plugin {
  return {
    name: 'calls-only',
    apply: 'build',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (source !== schemas && !(importer?.endsWith(whole) === true && source.startsWith('.'))) return null
      const resolved = await this.resolve(source, importer?.replace(whole, ''), { skipSelf: true })
      return resolved === null ? null : { ...resolved, id: `${resolved.id}${whole}` }
    },
    transform(code, id) {
      if (!contractFolder.test(id) || id.endsWith(whole)) return null
      // Without a map: the lines stay where they are.
      return { code: withoutSchemas(code), map: null }
    },
  }
}

/** Takes the schemas out of the calls, and marks what makes values as free of effects, so that the build drops what is not used anymore. */
export function withoutSchemas(code: string): string {
  const edits: Edit[] = []
  for (const init of initialValues(parseSync('calls.ts', code).program)) {
    const calls = callsIn(init)
    if (calls.length === 0) continue
    edits.push({ start: init.start, end: init.start, text: '/* @__PURE__ */ (() => (' }, { start: init.end, end: init.end, text: '))()' })
    for (const call of calls) edits.push(...schemasOf(call))
  }
  return edited(code, edits)
}

/** The values of the constants of a module. */
function initialValues(program: unknown): readonly Node[] {
  return nodesOf(isNode(program) ? program['body'] : null)
    .map((statement) => (isNode(statement['declaration']) ? statement['declaration'] : statement))
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap((declaration) => nodesOf(declaration['declarations']).map(({ init }) => init))
    .filter(isNode)
}

/** The calls that happen when a value is made. */
function callsIn(node: Node): readonly Node[] {
  if (/Function/.test(node.type)) return []
  const own = node.type === 'CallExpression' || node.type === 'NewExpression' ? [node] : []
  return [...own, ...partsOf(node).flatMap(callsIn)]
}

/** The members of `endpoint({ ... })` that the browser does not use. */
function schemasOf({ callee, arguments: values }: Node): readonly Edit[] {
  const [spec] = nodesOf(values)
  if (!isNode(callee) || callee['name'] !== 'endpoint' || spec?.type !== 'ObjectExpression') return []
  return withoutMembers(spec, (name) => kept.has(name))
}
