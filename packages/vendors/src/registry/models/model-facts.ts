import type { ModelKind } from '../../core/kind-of.ts'
import { lookUpNames } from '../../core/look-up-names.ts'
import type { TaskKind } from '../../core/task.ts'
import table from './model-facts.json' with { type: 'json' }

/** What goes into a model or comes out of it. `file`: documents such as PDFs. */
export const modalities = ['text', 'image', 'file', 'audio', 'video'] as const
type Modality = (typeof modalities)[number]

/** What a chat may request of a model: function calls, output by a JSON schema, and reasoning before the output. */
export const modelFeatures = ['tools', 'structured', 'reasoning'] as const
type ModelFeature = (typeof modelFeatures)[number]

/** What public tables say of a model. Empty = they do not say it; that is no proof that a model lacks something. */
export interface ModelFacts {
  readonly inputs: readonly Modality[]
  readonly outputs: readonly Modality[]
  readonly features: readonly ModelFeature[]
  /** The day on which its vendor published it, such as `2025-08-07`, or the month alone; empty = not known. */
  readonly released: string
}

const rows: ReadonlyMap<string, readonly string[]> = new Map(Object.entries<readonly string[]>(table.models))

type FactKind = ModelKind | TaskKind | 'realtime'

/** What a kind of call takes and gives, whatever the model. Vectors, ranks and verdicts are none of the modalities. */
const ofKind: Readonly<Partial<Record<FactKind, Pick<ModelFacts, 'inputs' | 'outputs'>>>> = {
  embeddings: { inputs: ['text'], outputs: [] },
  rerank: { inputs: ['text'], outputs: [] },
  moderations: { inputs: ['text'], outputs: [] },
  images: { inputs: ['text'], outputs: ['image'] },
  speech: { inputs: ['text'], outputs: ['audio'] },
  transcriptions: { inputs: ['audio'], outputs: ['text'] },
  videos: { inputs: ['text'], outputs: ['video'] },
  songs: { inputs: ['text'], outputs: ['audio'] },
  pictures: { inputs: ['text'], outputs: ['image'] },
}

/** @param model its name as vendors and resellers spell it, in any case of letters */
export function modelFactsOf(model: string, kind: FactKind): ModelFacts {
  const fixed = ofKind[kind]
  const [inputs = '', outputs = '', features = '', released = ''] = rowOf(model) ?? []
  const taken = words(modalities, inputs)
  return {
    inputs: modalities.filter((one) => taken.includes(one) || (fixed?.inputs.includes(one) ?? false)),
    outputs: fixed?.outputs ?? words(modalities, outputs),
    features: fixed === undefined ? words(modelFeatures, features) : [],
    released,
  }
}

function rowOf(model: string): readonly string[] | undefined {
  return lookUpNames(model.toLowerCase())
    .map((name) => rows.get(name))
    .find((row) => row !== undefined)
}

function words<Word extends string>(known: readonly Word[], list: string): readonly Word[] {
  const listed = list.split(' ')
  return known.filter((word) => listed.includes(word))
}
