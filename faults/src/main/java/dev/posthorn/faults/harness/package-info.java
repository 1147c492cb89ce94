/**
 * What every run is built of: databases, child processes, hubs, ports, threads, and the ledger that says what was lost. Read
 * {@link Ledger} first, then {@link Fleet}. It knows no run.
 */
@NullMarked
package dev.posthorn.faults.harness;

import org.jspecify.annotations.NullMarked;
