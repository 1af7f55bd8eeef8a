"""The implementation of Scripts/page-pictures: takes pictures of the pages that flourish serves."""

import os
import subprocess
import sys
import time

from browser import Browser, start


def picture_review(browser, program, folder, docs):
    process, url = start([program, "review", "call.mp4"], folder)
    browser.call("Page.navigate", url=url)
    browser.wait("document.body?.classList.contains('live') && document.querySelectorAll('.block').length > 4")
    # A near miss is made of a gesture that fired, as if the hold had been shorter.
    browser.evaluate("""fetch('plan').then((r) => r.json()).then(({ revision, plan }) => {
      const { id, heldSince } = plan.reactions.find((reaction) => reaction.gesture === 'twoVictories');
      const missed = { enabled: false, reason: 'heldTooBriefly', heldUntil: heldSince + 0.8, note: null };
      return fetch('plan', { method: 'PATCH', body: JSON.stringify({ reactions: { [id]: missed } }),
        headers: { 'Content-Type': 'application/json', 'If-Match': String(revision) } });
    })""")
    browser.wait("document.querySelector('.block.missed')")
    browser.evaluate("document.querySelector('.block[data-type=heart]').dispatchEvent(new MouseEvent('click', { detail: 0 }))")
    browser.wait("document.querySelectorAll('#seen .joint').length === 42 && document.querySelector('#seen img').complete")
    browser.show(1440, 980)
    browser.take(docs + "/review/wide.jpg")
    browser.evaluate("document.querySelector('.block.missed').dispatchEvent(new MouseEvent('click', { detail: 0 }))")
    browser.wait("document.querySelectorAll('#seen .joint').length === 42")
    browser.show(1440, 980, "dark")
    browser.take(docs + "/review/dark.jpg")
    process.terminate()
    process.wait(30)


def picture_panel(browser, program, folder, docs):
    read, write = os.pipe()
    feed = subprocess.Popen(["ffmpeg", "-v", "quiet", "-nostdin", "-re", "-i", "call.mp4", "-c", "copy", "-f", "nut", "-"],
                            cwd=folder, stdout=write)
    os.close(write)
    command = [program, "filter", "-", "out.mkv", "--live", "--panel", "--preset", "ultrafast"]
    process = subprocess.Popen(command, cwd=folder, stdin=read, stderr=subprocess.PIPE, text=True)
    os.close(read)
    url = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
    browser.show(1280, 900)
    browser.call("Page.navigate", url=url)
    browser.wait("document.body?.classList.contains('live') && !document.getElementById('preview').hidden")
    browser.evaluate("document.querySelector('[data-type=balloons]').click()")
    time.sleep(2)
    browser.take(docs + "/panel.jpg")
    for ending in (feed, process):
        ending.terminate()
        ending.wait(30)


def picture_editor(browser, program, folder, docs):
    process, url = start([program, "effects", "edit", "confetti", "--folder", folder + "/effects"], folder)
    browser.call("Page.navigate", url=url)
    browser.wait("document.body?.dataset.drawn > 0")
    browser.evaluate("""(() => {
      const scrub = document.getElementById('scrub');
      scrub.value = 42;
      scrub.dispatchEvent(new Event('input'));
    })()""")
    browser.show(1280, 900)
    # Without the figures, which differ from machine to machine.
    browser.take(docs + "/effect-editor.jpg", width=1280, height=468)
    process.terminate()
    process.wait(30)


def main():
    program, folder, docs = sys.argv[1:]
    program = os.path.abspath(program)
    browser = Browser(folder + "/profile", "--disable-gpu")
    picture_review(browser, program, folder, docs)
    picture_panel(browser, program, folder, docs)
    picture_editor(browser, program, folder, docs)
    browser.close()


main()
