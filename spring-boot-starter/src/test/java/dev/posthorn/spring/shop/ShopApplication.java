package dev.posthorn.spring.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with JPA, JDBC and jOOQ on one data source. */
@SpringBootApplication
public class ShopApplication {}
