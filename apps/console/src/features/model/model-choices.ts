import type { Modality, ModelFeature } from '@sluice/contract'

// Here and not in the contract: what it exports as values is part of every page.

export const modalities = ['text', 'image', 'file', 'audio', 'video'] as const satisfies readonly Modality[]

const features = ['tools', 'structured', 'reasoning'] as const satisfies readonly ModelFeature[]

/** Every choice of features that a model must have together. */
export const featureChoices = [
  ...features,
  'tools-structured',
  'tools-reasoning',
  'structured-reasoning',
  'tools-structured-reasoning',
] as const

/** The features of a choice; words that are none are left out. */
export function featuresOf(choice: string): readonly ModelFeature[] {
  const words = choice.split('-')
  return features.filter((feature) => words.includes(feature))
}
