/** A value as it looks in a database that was sealed with another master key. */
export const damagedSeal = `v1.${Buffer.alloc(60, 7).toString('base64')}`
