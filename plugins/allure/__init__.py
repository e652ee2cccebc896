"""allure."""
