/** Types with few values, of which one is as good as another. */
export const constants = [
  ...['number', 'boolean', 'Language', 'Kind', 'number | null', 'Size', 'TaskAction', 'FactKind', 'ItemKind', 'TaskState', 'options'],
  ...[
    "'adaptive' | 'budget' | 'none'",
    "'chat' | 'embeddings'",
    "'image' | 'video'",
    "'required' | 'any'",
    "'text/plain' | 'text/vtt'",
    'TaskKind',
    'FollowedKind',
  ],
]

/** A value of such a type. */
export function constantOf(type: string): unknown {
  if (type === 'number' || type === 'number | null') return 1
  if (type === 'Size') return { width: 1280, height: 720 }
  const words: Readonly<Record<string, unknown>> = {
    boolean: true,
    Language: 'en',
    Kind: 'chat',
    TaskAction: 'create',
    TaskKind: 'videos',
    FollowedKind: 'videos',
  }
  return words[type] ?? (type === 'options' ? {} : (/'([^']+)'/.exec(type)?.[1] ?? 'text'))
}
