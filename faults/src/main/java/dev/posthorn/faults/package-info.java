/** The command line: {@link Faults} has a command for each run. Runs know what they are made of, and no other run. */
@NullMarked
package dev.posthorn.faults;

import org.jspecify.annotations.NullMarked;
