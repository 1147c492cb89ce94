/**
 * What is promised to those who record, deliver and consume events, each shown by breaking something at the worst moment. Read
 * {@link RebalanceStorm} first; the other proofs are tests.
 */
@NullMarked
package dev.posthorn.faults.proof;

import org.jspecify.annotations.NullMarked;
