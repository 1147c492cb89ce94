/** Kills PostgreSQL under load, and lets a stand-by that lagged take over. Read {@link Crashes} first. */
@NullMarked
package dev.posthorn.faults.crash;

import org.jspecify.annotations.NullMarked;
