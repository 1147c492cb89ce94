package dev.posthorn.spring.setup;

import javax.sql.DataSource;

/** Of the application's data sources the one with Posthorn's tables, whose figures are told. */
public record WatchedDataSource(DataSource dataSource) {}
