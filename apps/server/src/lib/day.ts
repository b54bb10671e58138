export const daySeconds = 86_400

/** The beginning of a day in UTC. @param at seconds since the epoch */
export const dayStart = (at: number): number => at - (((at % daySeconds) + daySeconds) % daySeconds)
