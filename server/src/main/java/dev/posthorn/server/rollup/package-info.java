/** How much was delivered and what failed, counted as it happens and kept for a day or two. Read {@code RollupKeeper} first. */
@NullMarked
package dev.posthorn.server.rollup;

import org.jspecify.annotations.NullMarked;
