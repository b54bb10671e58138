import { createPauses } from './pauses.ts'

/** The JSON of a value. The items of lists, and of lists that are members of the value, are written in steps. */
export async function writeInSteps(value: unknown): Promise<string> {
  if (Array.isArray(value)) return await writeItems(value)
  if (typeof value !== 'object' || value === null || !Object.values(value).some(Array.isArray)) return JSON.stringify(value) ?? 'null'
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined)
      members.push(`${JSON.stringify(name)}:${Array.isArray(member) ? await writeItems(member) : JSON.stringify(member)}`)
  }
  return `{${members.join(',')}}`
}

async function writeItems(items: readonly unknown[]): Promise<string> {
  const pause = createPauses()
  const texts: string[] = []
  for (const item of items) {
    await pause()
    texts.push(JSON.stringify(item) ?? 'null')
  }
  return `[${texts.join(',')}]`
}
