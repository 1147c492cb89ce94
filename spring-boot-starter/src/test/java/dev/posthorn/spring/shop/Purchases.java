package dev.posthorn.spring.shop;

import org.springframework.data.jpa.repository.JpaRepository;

public interface Purchases extends JpaRepository<Purchase, String> {}
