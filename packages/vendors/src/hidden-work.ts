/**
 * Models behind which more is counted than passes through a gateway: they search, ask other models or follow a prompt of their own, and their usage
 * is the sum (Groq, "Compound", `usage_breakdown`; Perplexity, "Sonar"; xAI, "Multi-agent"; OpenAI, "Web search" of its search models; aggregators
 * that choose a model; stored copies read 2026-11-21 to 2026-11-28).
 */
const hiddenWork = /compound|sonar|search|online|research|agent|router|(?:^|[-_/])bot(?:[-_/]|$)/i

/** Whether a vendor may count more for a model than its request and its answer show. */
export function doesHiddenWork(model: string): boolean {
  return hiddenWork.test(model)
}
