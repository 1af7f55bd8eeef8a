"""Gives the wheel the tag of its machine: it has programs and libraries, but no module for a version of Python."""

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel


class MachineDistribution(Distribution):
    """A distribution whose files belong to one kind of machine."""

    def has_ext_modules(self) -> bool:
        """Return true, so that the files are not in the folder for all machines."""
        return True


class MachineWheel(bdist_wheel):
    """A wheel for any Python 3 on one kind of machine."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tags of Python, ABI and platform."""
        return "py3", "none", super().get_tag()[2]


setup(distclass=MachineDistribution, cmdclass={"bdist_wheel": MachineWheel})
