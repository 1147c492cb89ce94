/**
 * What the calls of the console's screens cost a hub that has much in it. Read {@link
 * dev.posthorn.benchmarks.console.ConsoleCalls} first; nobody but {@code Bench} comes in.
 */
@NullMarked
package dev.posthorn.benchmarks.console;

import org.jspecify.annotations.NullMarked;
