// Runs the built `iocast` as a user would.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace support {

struct ProgramResult {
  int status = -1;  // exit status, or minus the signal
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

inline std::string drain(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  for (ssize_t got; (got = ::read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

// Runs a shell command line in which {} stands for the program.
inline ProgramResult shell(std::string command) {
  for (std::size_t at; (at = command.find("{}")) != std::string::npos;) command.replace(at, 2, "'" IOCAST_PROGRAM "'");
  int out[2], err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
    ::execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  ProgramResult result;
  std::thread reader([&] { result.err = drain(err[0]); });
  result.out = drain(out[0]);
  reader.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

inline ProgramResult iocast(const std::string& arguments) { return shell("{} " + arguments); }

}  // namespace support
