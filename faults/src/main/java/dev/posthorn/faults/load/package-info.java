/**
 * Writers that change aggregates and record events, from ordinary to cruel. Read {@link Load} first; runs start it.
 */
@NullMarked
package dev.posthorn.faults.load;

import org.jspecify.annotations.NullMarked;
