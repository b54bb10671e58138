/**
 * Words in the names of models behind which more is counted than passes through a gateway: they search, ask other models or follow a prompt of
 * their own, and their usage is the sum. From the names of known models; where one is missing, its counts are replaced by our own.
 */
const words = ['compound', 'sonar', 'search', 'online', 'agent', 'router'] as const

/** Whether a vendor may count more for a model than its request and its response show. */
export function doesHiddenWork(model: string): boolean {
  const name = model.toLowerCase()
  return name.startsWith('bot-') || words.some((word) => name.includes(word))
}
