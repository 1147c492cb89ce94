/** The hub's database: found, waited for, installed, and, if embedded, looked after. */
@NullMarked
package dev.posthorn.server.database;

import org.jspecify.annotations.NullMarked;
