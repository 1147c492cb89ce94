package dev.posthorn.spring.setup;

import javax.sql.DataSource;

/** Of the application's data sources the one that events are recorded in. */
public record OutboxDataSource(DataSource dataSource) {}
