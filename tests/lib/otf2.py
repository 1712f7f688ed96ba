# SPDX-License-Identifier: MIT
"""OTF2 archives as otf2-print of the library's own tools has them.

    archive = Archive("folder")
    archive.intervals()         (location, region, begin, end, call)
    archive.entered             (type of the location, role of the region) -> how often
"""
import collections
import re
import subprocess


def otf2_print(*arguments):
    return subprocess.run(["otf2-print", *arguments], capture_output=True, text=True)


class Archive:
    def __init__(self, folder):
        said = otf2_print("-A", folder + "/traces.otf2")
        self.complaints, self.status = said.stderr, said.returncode
        self.locations, self.groups, self.regions, self.clock = {}, {}, {}, None
        self.roles, self.entered = {}, collections.Counter()
        self.events = []
        for line in said.stdout.splitlines():
            words = line.split()
            if line.startswith("CLOCK_PROPERTIES"):
                self.clock = [int(n) for n in re.findall(r": (\d+)", line)[:3]]
            elif line.startswith("LOCATION "):
                name, kind, count, group = re.search(
                    r'Name: "(.*)" <\d+>, Type: (\w+), # Events: (\d+), Group: "(.*)" <\d+>',
                    line).groups()
                self.locations[int(words[1])] = name, kind, int(count), group
            elif line.startswith("LOCATION_GROUP "):
                self.groups[re.search(r'Name: "(.*?)" <', line)[1]] = line
            elif line.startswith("REGION "):
                name = re.search(r'Name: "(.*?)" <', line)[1]
                self.regions[name] = line
                self.roles[int(words[1])] = name, re.search(r"Role: (\w+)", line)[1]
            elif line.startswith(("ENTER", "LEAVE")):
                region, number = re.search(r'Region: "(.*)" <(\d+)>', line).groups()
                self.events.append([words[0], int(words[1]), int(words[2]), region, None])
                if words[0] == "ENTER":
                    self.entered[self.locations[int(words[1])][1], self.roles[int(number)][1]] += 1
            elif "ADDITIONAL ATTRIBUTES" in line:
                self.events[-1][4] = int(re.search(r"UINT64; (\d+)", line)[1])

    def intervals(self):
        """(location, region, begin, end, call); wrong nesting is an error."""
        stacks, done = collections.defaultdict(list), []
        for kind, location, ns, region, call in self.events:
            if kind == "ENTER":
                stacks[location].append((region, ns, call))
                continue
            entered, begun, number = stacks[location].pop()
            if entered != region or ns < begun:
                raise ValueError(f"leaves {region}, is in {entered}")
            done.append((location, region, begun, ns, number))
        if any(stacks.values()):
            raise ValueError("never left")
        return done

    def totals(self, kind):
        found = collections.defaultdict(lambda: [0, 0])
        for location, region, begin, end, _ in self.intervals():
            if self.locations[location][1] == kind:
                found[region][0] += 1
                found[region][1] += end - begin
        return {name: tuple(value) for name, value in found.items()}
