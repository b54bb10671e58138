/** The names of the signatures in `signers.ts`. Records name them, so that the console, which reads records too, does not load the code. */
export type SignerName = 'bedrock' | 'spark-url' | 'tc3' | 'zhipu-jwt'
