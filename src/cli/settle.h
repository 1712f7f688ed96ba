/* What a killed process leaves unsettled: a packet cut off while it was being
 * appended to stream-K, or one that stands both there and in window-K. Our own
 * reader knows what to make of them; settled, every reader of CTF does.
 *
 * For sessions whose processes have ended; streams of living ones are left
 * alone. Nothing that was recorded is lost by it.
 */
#ifndef TANDEM_CLI_SETTLE_H
#define TANDEM_CLI_SETTLE_H

void settle_session(const char *directory);

#endif
