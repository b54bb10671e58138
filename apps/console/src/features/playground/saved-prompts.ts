import { randomId } from '../../lib/random-id.ts'
import { allOf, put, remove } from './browser-store.ts'
import { readObject, readSetup, type Setup } from './read-setup.ts'

/** A prompt with everything that it takes to send it again: models, system prompt, parameters, and the values of its variables. */
export interface SavedPrompt extends Setup {
  readonly id: string
  readonly name: string
  readonly updatedMs: number
  /** As it was typed, with its variables. */
  readonly text: string
}

interface Kept extends SavedPrompt {
  readonly account: number
}

/** The most prompts that are kept of an account. */
const promptsMax = 200

export const promptNameMax = 80

/** By name. */
export async function listPrompts(account: number): Promise<readonly SavedPrompt[]> {
  const rows = await allOf<Kept>('prompts', account)
  return rows.map(readPrompt).sort((one, other) => one.name.localeCompare(other.name))
}

/** A prompt of the same name is replaced. */
export async function savePrompt(account: number, prompt: Omit<SavedPrompt, 'id'>): Promise<void> {
  const same = (await allOf<Kept>('prompts', account)).find(({ name }) => name === prompt.name)
  await put<Kept>('prompts', { ...prompt, id: same?.id ?? randomId(), account }, promptsMax)
}

export const forgetPrompt = (id: string): Promise<void> => remove('prompts', [id])

/** Says what a file is, for whoever finds it. */
const fileKind = 'playground-prompts'

/** Prompts as a file, without ids: those are the browser's. */
export function promptsFile(prompts: readonly SavedPrompt[]): string {
  return JSON.stringify({ kind: fileKind, version: 1, prompts: prompts.map(({ id: _, ...prompt }) => prompt) }, null, 2)
}

/** The prompts of a file; `null` = it is none. What another version does not know of a prompt is as it is at first. */
export function readPromptsFile(text: string): readonly SavedPrompt[] | null {
  const { kind, prompts } = readObject(parsed(text))
  if (kind !== fileKind || !Array.isArray(prompts)) return null
  return prompts
    .slice(0, promptsMax)
    .map(readPrompt)
    .filter(({ name }) => name !== '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function readPrompt(stored: unknown): SavedPrompt {
  const { id, name, text, updatedMs } = readObject(stored)
  return {
    ...readSetup(stored),
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name.trim().slice(0, promptNameMax) : '',
    text: typeof text === 'string' ? text : '',
    updatedMs: typeof updatedMs === 'number' ? updatedMs : 0,
  }
}
