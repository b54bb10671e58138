/** What goes into a model or comes out of it. `file`: documents such as PDFs. */
export const modalities = ['text', 'image', 'file', 'audio', 'video'] as const
export type Modality = (typeof modalities)[number]

/** What a chat may request of a model: function calls, structured output by a JSON schema, and reasoning before the output. */
export const modelFeatures = ['tools', 'structured', 'reasoning'] as const
export type ModelFeature = (typeof modelFeatures)[number]
