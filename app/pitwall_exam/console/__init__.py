"""The Exam page: exams and their answers, marks, questions, and an exam taken by a person."""
