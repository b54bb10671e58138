/** What goes into a model or comes out of it. `file`: documents such as PDFs. */
export const modalities = ['text', 'image', 'file', 'audio', 'video'] as const
export type Modality = (typeof modalities)[number]

/** What a chat may ask of a model: calls of functions, answers by a JSON schema, and reasoning before the response. */
export const modelFeatures = ['tools', 'structured', 'reasoning'] as const
export type ModelFeature = (typeof modelFeatures)[number]
