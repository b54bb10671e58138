import type { Kind } from '../core/kind.ts'
import type { Passthrough } from '../core/passthrough.ts'
import { anthropicMessages } from './anthropic/native.ts'
import { everyKind } from './every-kind.ts'
import { developerApi } from './gemini/host.ts'
import { generateAt } from './gemini/native.ts'
import { embedResponses } from './generate/embed.ts'

const geminiGenerate = generateAt(developerApi)

/** The reader of responses in the pivot form of a kind. */
export function pivotOf(kind: Kind): Passthrough {
  if (kind === 'messages') return anthropicMessages.passthrough
  if (kind === 'generate') return geminiGenerate.passthrough
  if (kind === 'embed') return embedResponses
  return everyKind[kind].passthrough
}
