/**
 * What is seen at a glance: how much comes and goes, which subscriptions are in trouble, which alerts are open. Read {@code
 * OverviewController} first.
 */
@NullMarked
package dev.posthorn.server.overview;

import org.jspecify.annotations.NullMarked;
