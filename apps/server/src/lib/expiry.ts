import { AppError } from './app-error.ts'

/** Whether a time in seconds is over; -1 = never. */
export function isPast(expiredTime: number, now: number): boolean {
  return expiredTime !== -1 && expiredTime <= now
}

/** @throws AppError expiry_past */
export function checkExpiry(expiredTime: number, now: number): void {
  if (isPast(expiredTime, now)) throw new AppError('expiry_past')
}
