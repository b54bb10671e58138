/** Where a model is, and its name in a request. */
export interface SparkModel {
  readonly path: string
  readonly domain: string
}

const at = (path: string, domain: string): SparkModel => ({ path, domain })

/** Models by name and by version (xfyun.cn, "Spark: Web" and "X1: Web", stored copies read 2026-11-22). */
const models: Readonly<Record<string, SparkModel>> = {
  lite: at('/v1.1/chat', 'lite'),
  'v1.1': at('/v1.1/chat', 'lite'),
  'v2.1': at('/v2.1/chat', 'generalv2'),
  pro: at('/v3.1/chat', 'generalv3'),
  'v3.1': at('/v3.1/chat', 'generalv3'),
  generalv3: at('/v3.1/chat', 'generalv3'),
  'pro-128k': at('/chat/pro-128k', 'pro-128k'),
  max: at('/v3.5/chat', 'generalv3.5'),
  'v3.5': at('/v3.5/chat', 'generalv3.5'),
  'generalv3.5': at('/v3.5/chat', 'generalv3.5'),
  'max-32k': at('/chat/max-32k', 'max-32k'),
  '4.0-ultra': at('/v4.0/chat', '4.0Ultra'),
  '4.0ultra': at('/v4.0/chat', '4.0Ultra'),
  'v4.0': at('/v4.0/chat', '4.0Ultra'),
  x: at('/v1/x1', 'spark-x'),
  x1: at('/v1/x1', 'x1'),
}

/** @param otherwise the version of models that are not named here */
export function sparkModel(model: string, otherwise: string): SparkModel {
  const name = model.toLowerCase().replace(/^spark(?:desk)?-?/, '')
  for (const known of [name, otherwise.toLowerCase(), 'v1.1']) {
    const match = Object.hasOwn(models, known) ? models[known] : undefined
    if (match !== undefined) return match
  }
  return at('/v1.1/chat', 'lite')
}

/** Models that know functions and a system message. */
export const isCapable = (domain: string): boolean => domain === '4.0Ultra' || domain === 'generalv3.5' || domain === 'max-32k'
