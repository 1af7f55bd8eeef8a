extension VideoSurvey {
    /// Returns the survey for copying into a container, with those pictures cut away that an edit list hides and that the
    /// copy cannot hide.
    ///
    /// The edit list that libavformat writes has one entry. So it hides pictures before 0, and, once
    /// ``MP4EditList`` has shortened that entry, at the end; neither in the middle, nor in any other container. Pictures
    /// that come after the last shown one in decoding order are not needed by any and never copied.
    package func cuttingHiddenPictures(for container: ContainerFormat) -> VideoSurvey {
        let shown = pictures.indices.filter { !pictures[$0].isDiscarded && !pictures[$0].isCutAway }
        let times = shown.map { pictures[$0].presentationTime }
        guard let last = shown.last, let earliest = times.min(), let latest = times.max() else { return self }
        return updatingPictures { index, picture in
            guard picture.isDiscarded else { return }
            let isBefore = picture.presentationTime < min(earliest, 0)
            let isOutside = isBefore || picture.presentationTime > latest
            if index > last || !isOutside || !container.hidesPictures { picture.isCutAway = true }
        }
    }
}
